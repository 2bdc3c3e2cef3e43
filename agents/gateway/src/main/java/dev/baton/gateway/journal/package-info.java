/** The journal of answers, and the replay of journaled answers after a resume. */
@NullMarked
package dev.baton.gateway.journal;

import org.jspecify.annotations.NullMarked;
