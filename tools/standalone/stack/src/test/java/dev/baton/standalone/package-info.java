/** Tests of the stack with real servers that are really killed. */
@NullMarked
package dev.baton.standalone;

import org.jspecify.annotations.NullMarked;
