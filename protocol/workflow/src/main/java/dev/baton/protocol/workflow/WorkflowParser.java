/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.workflow;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.baton.protocol.digest.Digest;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Optional;

/**
 * Parses definition text to a workflow, or to all its problems. Does not throw for invalid text.
 */
public final class WorkflowParser {
  /** Maximum bytes of a definition. */
  public static final int MAX_BYTES = 1024 * 1024;

  /**
   * A private mapper, so that the canonical form cannot change with the configuration of a shared
   * one.
   */
  private static final JsonMapper CANONICAL = new JsonMapper();

  private WorkflowParser() {}

  public static WorkflowParseResult parse(String text, DefinitionFormat format) {
    return parse(text.getBytes(StandardCharsets.UTF_8), format);
  }

  /**
   * @param bytes UTF-8, at most {@link #MAX_BYTES}
   */
  public static WorkflowParseResult parse(byte[] bytes, DefinitionFormat format) {
    DefinitionProblemCollector problems = new DefinitionProblemCollector();
    LocatedNode root = DefinitionReader.read(bytes, format, problems);
    if (root == null) {
      return new WorkflowParseResult.Invalid(problems.errors());
    }
    WorkflowDecoder decoder = new WorkflowDecoder(problems, false);
    Optional<Workflow> workflow = decoder.decode(root);
    workflow.ifPresent(
        decoded -> {
          new FlowChecker(decoder.notes(), problems).check(decoded);
          new ReferenceChecker(decoder.notes(), problems).check(decoded);
          new ContinuationChecker(decoder.notes(), problems).check(decoded);
        });
    if (workflow.isEmpty() || !problems.isEmpty()) {
      return new WorkflowParseResult.Invalid(problems.errors());
    }
    JsonNode canonical = root.toJson();
    ((ObjectNode) canonical).remove("$schema");
    return new WorkflowParseResult.Valid(
        workflow.get(), hash(canonical), canonical, problems.warnings());
  }

  /** Returns {@code sha256:} and the digest of a canonical form's bytes. */
  public static String hash(JsonNode canonical) {
    return Digest.of(bytes(canonical));
  }

  /** Returns a canonical form's bytes: compact JSON in UTF-8. */
  public static byte[] bytes(JsonNode canonical) {
    try {
      return CANONICAL.writeValueAsBytes(canonical);
    } catch (JsonProcessingException e) {
      throw new UncheckedIOException(e);
    }
  }
}
