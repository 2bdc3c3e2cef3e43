/** Agents that speak the Agent Client Protocol (ACP), version 1: JSON-RPC in lines. */
@NullMarked
package dev.baton.agent.acp;

import org.jspecify.annotations.NullMarked;
