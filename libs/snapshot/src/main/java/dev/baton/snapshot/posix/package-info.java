/**
 * System calls for files that Java lacks, relative to open directories: symbolic links are never
 * followed, paths have any length, names are raw bytes (one per char), and times, owners, holes and
 * extended attributes are exact. The only package with native calls (java.lang.foreign); supports
 * Linux on x86_64 and aarch64.
 */
@NullMarked
package dev.baton.snapshot.posix;

import org.jspecify.annotations.NullMarked;
