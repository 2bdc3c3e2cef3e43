/** {@code baton guard}: fencing that reaches what a step does outside. */
@NullMarked
package dev.baton.cli.guard;

import org.jspecify.annotations.NullMarked;
