/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.gateway.spend;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.baton.protocol.json.Json;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.math.BigDecimal;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * The prices of models by name, from a versioned JSON resource that configuration overrides. A
 * model that is not in the table has no price; its cost is unknown, never 0. Immutable.
 */
public final class ModelPriceTable {
  private static final String RESOURCE = "model-prices.json";
  private static final int VERSION = 1;

  /** Providers append a date to the name of a model. */
  private static final Pattern DATE = Pattern.compile("-(\\d{8}|\\d{4}-\\d{2}-\\d{2}|latest)$");

  private final Map<String, ModelPrice> prices;
  private final Map<String, Long> windows;

  private ModelPriceTable(Map<String, ModelPrice> prices, Map<String, Long> windows) {
    this.prices = Map.copyOf(prices);
    this.windows = Map.copyOf(windows);
  }

  /** Reads the table of this version of Baton. */
  public static ModelPriceTable standard() {
    try (InputStream in = ModelPriceTable.class.getResourceAsStream(RESOURCE)) {
      if (in == null) {
        throw new IllegalStateException("resource " + RESOURCE + " is missing");
      }
      JsonNode json = Json.mapper().readTree(in);
      return new ModelPriceTable(read(json), readWindows(json));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /**
   * Returns a table with further models; they replace those of the same name.
   *
   * @param json as the resource: {@code {"version": 1, "models": {"name": {"input": 1.25, "output":
   *     10, "cache_read": 0.125, "cache_write": 0, "cache_write_1h": 0, "max_output": 128000,
   *     "context_window": 400000}}}}, US dollars for a million tokens; {@code cache_*} are optional
   *     and default to {@code input}; without {@code context_window} that of the table before stays
   * @throws IllegalArgumentException with the model and field that is wrong
   */
  public ModelPriceTable overriddenBy(JsonNode json) {
    Map<String, ModelPrice> all = new HashMap<>(prices);
    all.putAll(read(json));
    Map<String, Long> allWindows = new HashMap<>(windows);
    allWindows.putAll(readWindows(json));
    return new ModelPriceTable(all, allWindows);
  }

  /** Finds the price of a model by its name, with or without the date that providers append. */
  public Optional<ModelPrice> price(String model) {
    return find(prices, model);
  }

  /** Finds the tokens that a request to a model may have, by its name as {@link #price}. */
  public Optional<Long> contextWindow(String model) {
    return find(windows, model);
  }

  private static <T> Optional<T> find(Map<String, T> values, String model) {
    T exact = values.get(model);
    return Optional.ofNullable(
        exact != null ? exact : values.get(DATE.matcher(model).replaceFirst("")));
  }

  private static Map<String, Long> readWindows(JsonNode json) {
    Map<String, Long> read = new HashMap<>();
    for (Map.Entry<String, JsonNode> model : json.path("models").properties()) {
      JsonNode window = model.getValue().path("context_window");
      if (window.canConvertToExactIntegral() && window.canConvertToLong()) {
        read.put(model.getKey(), window.longValue());
      }
      if (!window.isMissingNode() && read.getOrDefault(model.getKey(), 0L) < 1) {
        throw new IllegalArgumentException(
            "price table: %s: 'context_window' %s is not a whole number of 1 or more"
                .formatted(model.getKey(), window));
      }
    }
    return read;
  }

  private static Map<String, ModelPrice> read(JsonNode json) {
    if (json.path("version").asInt(-1) != VERSION) {
      throw new IllegalArgumentException(
          "price table: version " + json.path("version") + " is not " + VERSION);
    }
    if (!(json.path("models") instanceof ObjectNode models)) {
      throw new IllegalArgumentException("price table: 'models' is missing or not an object");
    }
    Map<String, ModelPrice> read = new HashMap<>();
    models
        .properties()
        .forEach(model -> read.put(model.getKey(), price(model.getKey(), model.getValue())));
    return read;
  }

  private static ModelPrice price(String model, JsonNode fields) {
    BigDecimal input = number(model, fields, "input", null);
    BigDecimal output = number(model, fields, "output", null);
    BigDecimal cacheRead = number(model, fields, "cache_read", input);
    BigDecimal cacheWrite = number(model, fields, "cache_write", input);
    BigDecimal cacheWriteLong = number(model, fields, "cache_write_1h", input);
    BigDecimal maxOutput = number(model, fields, "max_output", BigDecimal.valueOf(128_000));
    try {
      return new ModelPrice(
          input, output, cacheRead, cacheWrite, cacheWriteLong, maxOutput.longValueExact());
    } catch (ArithmeticException | IllegalArgumentException e) {
      throw new IllegalArgumentException("price table: " + model + ": " + e.getMessage(), e);
    }
  }

  private static BigDecimal number(
      String model,
      JsonNode fields,
      String name,
      @org.jspecify.annotations.Nullable BigDecimal otherwise) {
    JsonNode field = fields.path(name);
    if (field.isNumber()) {
      return field.decimalValue();
    }
    if (field.isMissingNode() && otherwise != null) {
      return otherwise;
    }
    throw new IllegalArgumentException(
        "price table: " + model + ": '" + name + "' is missing or not a number");
  }
}
