/** The stack against real servers that are really killed. */
@NullMarked
package dev.baton.standalone;

import org.jspecify.annotations.NullMarked;
