/** Tests of the driver of OpenCode with recorded events. */
@NullMarked
package dev.baton.agent.opencode;

import org.jspecify.annotations.NullMarked;
