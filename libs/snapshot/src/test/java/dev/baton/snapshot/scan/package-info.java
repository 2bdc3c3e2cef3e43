/** Tests of the scan, on real files. */
@NullMarked
package dev.baton.snapshot.scan;

import org.jspecify.annotations.NullMarked;
