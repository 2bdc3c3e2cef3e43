/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.acceptance.advisories;

import com.fasterxml.jackson.databind.JsonNode;
import dev.baton.protocol.json.Json;
import java.io.IOException;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** Finds the libraries of the packages and of the bill of materials. */
final class ResolvedComponentReader {
  private static final Pattern PURL = Pattern.compile("pkg:maven/([^/]+)/([^@?]+)@([^?#]+).*");

  private ResolvedComponentReader() {}

  /** Reads a bill of materials in the CycloneDX format. */
  static Set<ResolvedComponent> ofBom(byte[] json) {
    Set<ResolvedComponent> components = new LinkedHashSet<>();
    for (JsonNode component : Json.tree(json).path("components")) {
      Matcher purl = PURL.matcher(component.path("purl").asText());
      if (purl.matches()) {
        components.add(
            new ResolvedComponent(
                purl.group(1) + ":" + purl.group(2),
                URLDecoder.decode(purl.group(3), StandardCharsets.UTF_8)));
      }
    }
    return components;
  }

  /**
   * Reads the libraries of a Quarkus package, whose names are {@code group.artifact-version.jar}.
   *
   * @param names the libraries to find, as {@code group:artifact}: a file name alone does not show
   *     where its group ends
   */
  static Set<ResolvedComponent> ofPackage(Path folder, List<String> names) throws IOException {
    Set<ResolvedComponent> components = new LinkedHashSet<>();
    try (Stream<Path> files = Files.list(folder)) {
      for (String file : new TreeSet<>(files.map(path -> path.getFileName().toString()).toList())) {
        for (String name : names) {
          Matcher matcher =
              Pattern.compile(Pattern.quote(name.replace(':', '.')) + "-(\\d.*)\\.jar")
                  .matcher(file);
          if (matcher.matches()) {
            components.add(new ResolvedComponent(name, matcher.group(1)));
          }
        }
      }
    }
    return components;
  }
}
