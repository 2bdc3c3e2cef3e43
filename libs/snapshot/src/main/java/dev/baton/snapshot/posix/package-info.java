/**
 * The file system calls of Linux that Java lacks, relative to open directories: no symbolic link is
 * ever followed, paths may be of any length, names are raw bytes (one per char), and times, owners,
 * holes and extended attributes are exact. The only place with native calls (java.lang.foreign);
 * x86_64 and aarch64.
 */
@NullMarked
package dev.baton.snapshot.posix;

import org.jspecify.annotations.NullMarked;
