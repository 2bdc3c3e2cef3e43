/** Tests of the driver of ACP agents with recorded updates. */
@NullMarked
package dev.baton.agent.acp;

import org.jspecify.annotations.NullMarked;
