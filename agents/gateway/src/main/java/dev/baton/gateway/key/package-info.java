/** Keys of journaled answers: the digest of a conversation without what agents add to it. */
@NullMarked
package dev.baton.gateway.key;

import org.jspecify.annotations.NullMarked;
