/** Starts runners as containers of a Docker host, and kills them with everything in them. */
@NullMarked
package dev.baton.launcher.docker;

import org.jspecify.annotations.NullMarked;
