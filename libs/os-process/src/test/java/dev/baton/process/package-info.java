/** Tests of this package. */
@NullMarked
package dev.baton.process;

import org.jspecify.annotations.NullMarked;
