/**
 * Finds, identifies, signals and kills processes of the operating system. On Linux it reads {@code
 * /proc}; elsewhere it has only the JDK's view.
 */
@NullMarked
package dev.baton.process;

import org.jspecify.annotations.NullMarked;
