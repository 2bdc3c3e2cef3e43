/** Commands about runs: start, look, follow, cancel. */
@NullMarked
package dev.baton.cli.run;

import org.jspecify.annotations.NullMarked;
