/** Tests of the snapshot library with real files, checked by system tools. */
@NullMarked
package dev.baton.snapshot;

import org.jspecify.annotations.NullMarked;
