/** OpenCode by its server: HTTP requests and an event stream on loopback. */
@NullMarked
package dev.baton.agent.opencode;

import org.jspecify.annotations.NullMarked;
