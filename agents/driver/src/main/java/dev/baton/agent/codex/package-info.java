/** Codex by its app server. */
@NullMarked
package dev.baton.agent.codex;

import org.jspecify.annotations.NullMarked;
