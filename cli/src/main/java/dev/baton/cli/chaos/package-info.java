/** {@code baton chaos}: faults, a recorded history, a verdict. The work is a program of its own. */
@NullMarked
package dev.baton.cli.chaos;

import org.jspecify.annotations.NullMarked;
