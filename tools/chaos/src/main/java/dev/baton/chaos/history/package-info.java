/** What was seen of a system under faults, by those who are no part of it, and its files. */
@NullMarked
package dev.baton.chaos.history;

import org.jspecify.annotations.NullMarked;
