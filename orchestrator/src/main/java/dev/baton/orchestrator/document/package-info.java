/**
 * The documents of the API: OpenAPI, AsyncAPI and the JSON Schemas of workflows and events, and the
 * index of them at {@code /}.
 */
@NullMarked
package dev.baton.orchestrator.document;

import org.jspecify.annotations.NullMarked;
