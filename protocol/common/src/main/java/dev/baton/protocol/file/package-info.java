/** Files on disk. */
@NullMarked
package dev.baton.protocol.file;

import org.jspecify.annotations.NullMarked;
