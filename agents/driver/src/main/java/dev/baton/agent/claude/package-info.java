/** Claude Code by lines of JSON. */
@NullMarked
package dev.baton.agent.claude;

import org.jspecify.annotations.NullMarked;
