/** Patterns over texts. */
@NullMarked
package dev.baton.protocol.pattern;

import org.jspecify.annotations.NullMarked;
