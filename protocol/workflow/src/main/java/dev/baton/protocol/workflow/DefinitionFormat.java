/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.workflow;

import java.util.Locale;

/** The language of a definition. All are read to the same tree. */
public enum DefinitionFormat {
  YAML("application/yaml"),
  JSON("application/json"),
  /** The language of Graphviz: a graph whose nodes are steps. */
  DOT("text/vnd.graphviz");

  private final String mediaType;

  DefinitionFormat(String mediaType) {
    this.mediaType = mediaType;
  }

  /** The media type in API requests. */
  public String mediaType() {
    return mediaType;
  }

  /** Returns the format of a file by its extension; YAML for other extensions. */
  public static DefinitionFormat ofFile(String name) {
    String lower = name.toLowerCase(Locale.ROOT);
    if (lower.endsWith(".json")) {
      return JSON;
    }
    return lower.endsWith(".dot") || lower.endsWith(".gv") ? DOT : YAML;
  }
}
