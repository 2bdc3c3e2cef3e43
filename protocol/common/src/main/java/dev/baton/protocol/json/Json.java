/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.json;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.core.JsonParseException;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.PropertyNamingStrategies;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.module.SimpleModule;
import com.fasterxml.jackson.datatype.jsr310.JavaTimeModule;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Instant;

/**
 * Provides the shared mapper. Numbers keep their values, see {@link ExactNumberNodeFactory}; of
 * duplicate names in an object the last one applies. Thread-safe; never reconfigured.
 */
public final class Json {
  private static final ObjectMapper MAPPER =
      JsonMapper.builder()
          .addModule(new JavaTimeModule())
          .addModule(
              new SimpleModule()
                  .addDeserializer(Instant.class, new InstantReader())
                  .addDeserializer(JsonNode.class, new JsonTreeReader()))
          .propertyNamingStrategy(PropertyNamingStrategies.SNAKE_CASE)
          .serializationInclusion(JsonInclude.Include.NON_NULL)
          .disable(SerializationFeature.WRITE_DATES_AS_TIMESTAMPS)
          .disable(SerializationFeature.WRITE_DURATIONS_AS_TIMESTAMPS)
          .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
          .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
          // Static initializers must not wait for Jackson's locks, see ADR 0107, and readers of a
          // type are constants. Writers are not: without this feature they write no type names.
          .disable(DeserializationFeature.EAGER_DESERIALIZER_FETCH)
          // Doubles would lose digits, and overflow at 1e400.
          .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
          .nodeFactory(ExactNumberNodeFactory.FACTORY)
          .build();

  static {
    // Constants are parsed, too: the reader of trees is created before other threads know the
    // mapper.
    tree(new byte[] {'0'});
  }

  private Json() {}

  public static ObjectMapper mapper() {
    return MAPPER;
  }

  /**
   * Writes the value as UTF-8 JSON.
   *
   * @throws UncheckedIOException when the value cannot be written as JSON, which is a programming
   *     error
   */
  public static byte[] bytes(Object value) {
    try {
      return MAPPER.writeValueAsBytes(value);
    } catch (JsonProcessingException e) {
      throw new UncheckedIOException(e);
    }
  }

  /**
   * Reads a value of a known type.
   *
   * @throws UncheckedIOException when the bytes are not JSON of that type
   */
  public static <T> T read(byte[] bytes, Class<T> type) {
    try {
      return MAPPER.readValue(bytes, type);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Reads a tree as {@link #read(byte[], Class)}. Empty bytes are an error. */
  public static JsonNode tree(byte[] bytes) {
    return read(bytes, JsonNode.class);
  }

  /**
   * Reads JSON from an untrusted source, and checks that it can be stored unchanged.
   *
   * @throws JsonProcessingException when it is not JSON, or {@link JsonValueChecker} finds a
   *     problem
   */
  public static JsonNode checkedTree(String text) throws JsonProcessingException {
    JsonNode value = MAPPER.readTree(text);
    if (value.isMissingNode()) {
      throw new JsonParseException(null, "it is empty");
    }
    return checked(value);
  }

  /**
   * {@link #checkedTree(String)} of UTF-8 bytes.
   *
   * @throws JsonProcessingException as {@link #checkedTree(String)}
   */
  public static JsonNode checkedTree(byte[] bytes) throws JsonProcessingException {
    JsonNode value = parsedTree(bytes);
    if (value.isMissingNode()) {
      throw new JsonParseException(null, "it is empty");
    }
    return checked(value);
  }

  /**
   * Reads JSON from an untrusted source.
   *
   * @return a missing node for empty bytes
   * @throws JsonProcessingException when it is not JSON
   */
  public static JsonNode parsedTree(byte[] bytes) throws JsonProcessingException {
    try {
      return MAPPER.readTree(bytes);
    } catch (JsonProcessingException e) {
      throw e;
    } catch (IOException e) {
      // Of bytes that begin as UTF-32 does; for other encodings Jackson has an exception of its
      // own.
      throw new JsonParseException(null, e.getMessage(), e);
    }
  }

  private static JsonNode checked(JsonNode value) throws JsonProcessingException {
    String problem = JsonValueChecker.problem(value);
    if (problem != null) {
      throw new JsonParseException(null, "it has " + problem);
    }
    return value;
  }
}
