/** Tests of the Docker launcher. */
@NullMarked
package dev.baton.launcher.docker;

import org.jspecify.annotations.NullMarked;
