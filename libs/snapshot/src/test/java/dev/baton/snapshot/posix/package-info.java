/** Tests of the system calls, checked by Java's own file operations and by stat. */
@NullMarked
package dev.baton.snapshot.posix;

import org.jspecify.annotations.NullMarked;
