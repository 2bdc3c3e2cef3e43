/** Work that nobody waits for: loops on threads of their own, which may block. */
@NullMarked
package dev.baton.store.scheduling;

import org.jspecify.annotations.NullMarked;
