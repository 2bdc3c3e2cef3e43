/** Commands about runs: start, show, follow, cancel. */
@NullMarked
package dev.baton.cli.run;

import org.jspecify.annotations.NullMarked;
