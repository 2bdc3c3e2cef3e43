/** Tests of this package. */
@NullMarked
package dev.baton.lease;

import org.jspecify.annotations.NullMarked;
