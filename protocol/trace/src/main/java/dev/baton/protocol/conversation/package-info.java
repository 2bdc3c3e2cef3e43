/**
 * The conversation of an agent as checkpoints store it, below the agent's home, and as a document:
 * {@code conversation.json} of the portable form.
 */
@NullMarked
package dev.baton.protocol.conversation;

import org.jspecify.annotations.NullMarked;
