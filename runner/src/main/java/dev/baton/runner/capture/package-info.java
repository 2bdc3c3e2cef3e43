/**
 * Workspaces as cuts and outputs as blobs, transferred to and from the object store; snapshots of
 * runs from the checkpoint-store.
 */
@NullMarked
package dev.baton.runner.capture;

import org.jspecify.annotations.NullMarked;
