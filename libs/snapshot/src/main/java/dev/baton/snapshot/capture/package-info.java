/**
 * What a capture does after the scan: reads what changed, cuts it into chunks, asks the store which
 * of them it lacks, and gives it those in packs.
 */
@NullMarked
package dev.baton.snapshot.capture;

import org.jspecify.annotations.NullMarked;
