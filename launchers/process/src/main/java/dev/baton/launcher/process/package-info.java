/** Starts runners as processes of this host, and kills them with all their descendants. */
@NullMarked
package dev.baton.launcher.process;

import org.jspecify.annotations.NullMarked;
