/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.problem;

import com.fasterxml.jackson.core.JacksonException;
import com.fasterxml.jackson.core.JsonLocation;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonMappingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.exc.UnrecognizedPropertyException;
import dev.baton.protocol.json.Json;
import dev.baton.protocol.json.JsonProblemFormatter;
import jakarta.ws.rs.core.MediaType;
import java.io.CharConversionException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Reads JSON bodies strictly: rejects unknown fields, which are most often typos, and fractions
 * where an integer is needed, instead of cutting them off.
 */
public final class JsonBodyReader {
  /** Maximum size of a body that is not a batch, in bytes. */
  public static final int LIMIT = 1024 * 1024;

  /** Maximum size of a batch, in bytes. */
  public static final int BATCH_LIMIT = 16 * 1024 * 1024;

  private static final ObjectMapper STRICT =
      Json.mapper()
          .copy()
          .enable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
          .disable(DeserializationFeature.ACCEPT_FLOAT_AS_INT);

  private JsonBodyReader() {}

  /**
   * @throws ProblemException with the line and column of the error
   */
  public static <T> T read(byte @Nullable [] body, Class<T> type) {
    if (body == null || body.length == 0) {
      throw new ProblemException(
          ProblemKind.MALFORMED_REQUEST, "the body is empty; a JSON object is needed");
    }
    try {
      T value = STRICT.readValue(body, type);
      if (value == null) {
        throw new ProblemException(
            ProblemKind.MALFORMED_REQUEST, "the body is null; a JSON object is needed");
      }
      return value;
    } catch (JacksonException e) {
      throw ProblemException.withErrors(
          ProblemKind.MALFORMED_REQUEST, "the body cannot be parsed", List.of(describe(e)));
    } catch (CharConversionException e) {
      throw new ProblemException(
          ProblemKind.MALFORMED_REQUEST,
          "the body cannot be parsed: it is not text in UTF-8: " + e.getMessage());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /**
   * Decodes a text with the charset that its content type declares, and encodes it in UTF-8.
   * Without a charset the text must be UTF-8 already.
   *
   * @throws ProblemException when the charset is unknown, or the body is not valid text in it
   */
  public static byte[] asUtf8(byte[] body, String contentType) {
    String name = MediaType.valueOf(contentType).getParameters().get(MediaType.CHARSET_PARAMETER);
    if (name == null || name.equalsIgnoreCase("UTF-8")) {
      return body;
    }
    try {
      return Charset.forName(name)
          .newDecoder()
          .decode(ByteBuffer.wrap(body))
          .toString()
          .getBytes(StandardCharsets.UTF_8);
    } catch (IllegalArgumentException e) {
      throw new ProblemException(
          ProblemKind.UNSUPPORTED_MEDIA_TYPE,
          "charset '%s' is unknown; allowed: utf-8, or any charset that Java supports"
              .formatted(name));
    } catch (CharacterCodingException e) {
      throw new ProblemException(
          ProblemKind.MALFORMED_REQUEST,
          "the body is not text in the charset '%s' that its Content-Type declares"
              .formatted(name));
    }
  }

  private static FieldProblem describe(JacksonException e) {
    JsonLocation at = e.getLocation();
    String path =
        e instanceof JsonMappingException mapping ? JsonProblemFormatter.path(mapping) : null;
    String message = e.getOriginalMessage();
    String allowed = null;
    if (e instanceof UnrecognizedPropertyException unknown) {
      message = "unknown field '" + unknown.getPropertyName() + "'";
      allowed =
          unknown.getKnownPropertyIds() == null
              ? null
              : unknown.getKnownPropertyIds().stream()
                  .map(Object::toString)
                  .sorted()
                  .collect(Collectors.joining(", "));
    }
    return new FieldProblem(
        at == null ? null : at.getLineNr(),
        at == null ? null : at.getColumnNr(),
        null,
        path,
        message,
        allowed);
  }

  /**
   * @throws ProblemException when the body is larger than the limit
   */
  public static void check(long size, int limit) {
    if (size > limit) {
      throw new ProblemException(
          ProblemKind.TOO_LARGE,
          "the body has %,d bytes; allowed: %,d bytes".formatted(size, limit));
    }
  }
}
