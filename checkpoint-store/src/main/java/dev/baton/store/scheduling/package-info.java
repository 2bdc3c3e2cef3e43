/** Background work: periodic tasks on their own threads, which may block. */
@NullMarked
package dev.baton.store.scheduling;

import org.jspecify.annotations.NullMarked;
