/** {@code baton guard}: extends fencing to effects of steps outside of the workspace. */
@NullMarked
package dev.baton.cli.guard;

import org.jspecify.annotations.NullMarked;
