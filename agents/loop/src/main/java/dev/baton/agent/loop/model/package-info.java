/** Calls of models by LangChain4j through the gateway. */
@NullMarked
package dev.baton.agent.loop.model;

import org.jspecify.annotations.NullMarked;
