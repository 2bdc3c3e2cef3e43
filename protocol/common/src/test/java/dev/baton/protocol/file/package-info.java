/** Tests of files and folders. */
@NullMarked
package dev.baton.protocol.file;

import org.jspecify.annotations.NullMarked;
