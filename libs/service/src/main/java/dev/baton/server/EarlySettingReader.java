/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.server;

import io.smallrye.config.ConfigSourceContext;
import io.smallrye.config.ConfigSourceFactory;
import io.smallrye.config.ConfigValue;
import io.smallrye.config.PropertiesLocationConfigSourceFactory;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import org.eclipse.microprofile.config.spi.ConfigSource;

/**
 * Reads settings for a {@link ConfigSourceFactory}. The context of a factory lacks the files of
 * {@code quarkus.config.locations}, which SmallRye adds at the same time: a factory that reads only
 * the context ignores what they set. The source with the highest ordinal counts, and the context
 * among equal ones. Not thread-safe.
 */
final class EarlySettingReader {
  private final ConfigSourceContext context;
  private final List<ConfigSource> files = new ArrayList<>();

  EarlySettingReader(ConfigSourceContext context) {
    this.context = context;
    new PropertiesLocationConfigSourceFactory().getConfigSources(context).forEach(files::add);
    files.sort(Comparator.comparingInt(ConfigSource::getOrdinal).reversed());
  }

  /** Returns the setting of a key; empty where no source has it. */
  Optional<String> read(String key) {
    ConfigValue known = context.getValue(key);
    Optional<String> value = Optional.ofNullable(known).map(ConfigValue::getValue);
    int ordinal = value.isEmpty() ? Integer.MIN_VALUE : known.getConfigSourceOrdinal();
    return files.stream()
        .filter(file -> file.getOrdinal() > ordinal)
        .map(file -> file.getValue(key))
        .filter(text -> text != null)
        .findFirst()
        .or(() -> value);
  }
}
