/**
 * Captures a scanned tree: reads changed files, splits them into chunks, queries the store for
 * missing chunks, and uploads those in packs.
 */
@NullMarked
package dev.baton.snapshot.capture;

import org.jspecify.annotations.NullMarked;
