/** The checkpoint-store: keeps the trace, whole, and gives back what a runner needs to go on. */
@NullMarked
package dev.baton.store;

import org.jspecify.annotations.NullMarked;
