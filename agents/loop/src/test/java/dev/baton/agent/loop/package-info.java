@NullMarked
package dev.baton.agent.loop;

import org.jspecify.annotations.NullMarked;
