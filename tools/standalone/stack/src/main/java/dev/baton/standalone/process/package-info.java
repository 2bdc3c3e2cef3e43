/**
 * Processes of the operating system: starting them, knowing when they are ready, restarting and
 * stopping them.
 */
@NullMarked
package dev.baton.standalone.process;

import org.jspecify.annotations.NullMarked;
