/** Shell completion. */
@NullMarked
package dev.baton.cli.completion;

import org.jspecify.annotations.NullMarked;
