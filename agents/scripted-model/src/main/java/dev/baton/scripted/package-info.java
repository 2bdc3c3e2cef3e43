/**
 * A model endpoint that answers from a script in the forms Anthropic Messages, OpenAI Responses and
 * OpenAI Chat, with faults at wish. For tests, and for the demo without a key.
 */
@NullMarked
package dev.baton.scripted;

import org.jspecify.annotations.NullMarked;
