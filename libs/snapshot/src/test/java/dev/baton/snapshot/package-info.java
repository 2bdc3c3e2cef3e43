/**
 * Tests of the snapshot library, against real files and with the system's own tools as witnesses.
 */
@NullMarked
package dev.baton.snapshot;

import org.jspecify.annotations.NullMarked;
