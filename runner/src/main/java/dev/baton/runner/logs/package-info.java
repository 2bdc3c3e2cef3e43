/**
 * Standard output and error of steps: spooled on the disk, uploaded in chunks, and sent to {@code
 * baton.logs} as a live tail. Bounded; steps never wait for an upload.
 */
@NullMarked
package dev.baton.runner.logs;

import org.jspecify.annotations.NullMarked;
