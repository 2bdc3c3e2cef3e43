/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipInputStream;

/**
 * Writes the software bill of materials of an image as CycloneDX 1.6 JSON: every jar below a folder
 * with its Maven coordinates and the SHA-256 of the file as it is in the image.
 *
 * <pre>java ImageBomWriter.java JARS OUTPUT IMAGE VERSION SECONDS DEPENDENCIES…</pre>
 *
 * DEPENDENCIES are files with a line {@code group:artifact:classifier:type:version} for each jar. A
 * jar that none of them lists is described by its own {@code pom.properties}, else by its file name
 * without a group. SECONDS is the time of the document since 1970. Equal input gives equal output.
 * Exits with 1 and the file's name when a jar has no version.
 */
final class ImageBomWriter {
  private static final Pattern FILE = Pattern.compile("(.+?)-([0-9].*)\\.jar");

  private record Coordinates(String group, String artifact, String version) {
    String purl() {
      return "pkg:maven/" + (group.isEmpty() ? "" : group + "/") + artifact + "@" + version;
    }
  }

  private final Map<String, Coordinates> known = new HashMap<>();
  private final String version;

  private ImageBomWriter(String version, List<Path> dependencies) throws IOException {
    this.version = version;
    for (Path list : dependencies) {
      for (String line : Files.readAllLines(list)) {
        String[] part = line.split(":", -1);
        if (part.length == 5) {
          Coordinates coordinates = new Coordinates(part[0], part[1], part[4]);
          String classifier = part[2].isEmpty() ? "" : "-" + part[2];
          String file = part[1] + "-" + part[4] + classifier + ".jar";
          known.put(file, coordinates);
          known.put(part[0] + "." + file, coordinates);
        }
      }
    }
  }

  public static void main(String[] args) throws IOException {
    if (args.length < 5) {
      System.err.println("usage: ImageBomWriter JARS OUTPUT IMAGE VERSION SECONDS DEPENDENCIES…");
      System.exit(64);
    }
    List<Path> dependencies = new ArrayList<>();
    for (int i = 5; i < args.length; i++) {
      dependencies.add(Path.of(args[i]));
    }
    ImageBomWriter writer = new ImageBomWriter(args[3], dependencies);
    Instant time = Instant.ofEpochSecond(Long.parseLong(args[4]));
    Files.writeString(Path.of(args[1]), writer.write(Path.of(args[0]), args[2], time));
  }

  private String write(Path jars, String image, Instant time) throws IOException {
    Map<String, String> components = new TreeMap<>();
    try (Stream<Path> files = Files.walk(jars)) {
      for (Path jar : files.filter(file -> file.toString().endsWith(".jar")).toList()) {
        // Quarkus' own: generated classes of the application, and the jar that starts it.
        if (jar.getParent().endsWith("quarkus") || jar.endsWith("quarkus-run.jar")) {
          continue;
        }
        Coordinates found = coordinates(jar);
        components.put(found.purl(), component(found, sha256(jar)));
      }
    }
    return """
        {
          "bomFormat": "CycloneDX",
          "specVersion": "1.6",
          "version": 1,
          "metadata": {
            "timestamp": %s,
            "component": {"type": "container", "bom-ref": "image", "name": %s, "version": %s}
          },
          "components": [
        %s
          ]
        }
        """
        .formatted(
            quote(time.toString()),
            quote(image),
            quote(version),
            String.join(",\n", components.values()));
  }

  private static String component(Coordinates is, String sha256) {
    String group = is.group.isEmpty() ? "" : "\"group\": " + quote(is.group) + ", ";
    return """
            {"type": "library", "bom-ref": %1$s, %2$s"name": %3$s, "version": %4$s, "purl": %1$s,
             "hashes": [{"alg": "SHA-256", "content": %5$s}]}\
        """
        .formatted(quote(is.purl()), group, quote(is.artifact), quote(is.version), quote(sha256));
  }

  private Coordinates coordinates(Path jar) throws IOException {
    String file = jar.getFileName().toString();
    Coordinates listed = known.get(file);
    if (listed != null) {
      return listed;
    }
    Coordinates own = pomProperties(jar, file);
    if (own != null) {
      return own;
    }
    Matcher name = FILE.matcher(file);
    if (name.matches()) {
      String group = name.group(1).startsWith("baton-") ? "dev.baton" : "";
      return new Coordinates(group, name.group(1), name.group(2));
    }
    throw new IOException(jar + " has no version: no list, no pom.properties, not in its name");
  }

  /** Those of the artifact that the file is named after; a jar may contain those of others. */
  private static Coordinates pomProperties(Path jar, String file) throws IOException {
    List<Coordinates> found = new ArrayList<>();
    try (ZipInputStream zip = new ZipInputStream(Files.newInputStream(jar))) {
      for (ZipEntry entry = zip.getNextEntry(); entry != null; entry = zip.getNextEntry()) {
        if (entry.getName().matches("META-INF/maven/[^/]+/[^/]+/pom\\.properties")) {
          Properties pom = new Properties();
          pom.load(zip);
          found.add(
              new Coordinates(
                  pom.getProperty("groupId", ""),
                  pom.getProperty("artifactId", ""),
                  pom.getProperty("version", "")));
        }
      }
    }
    for (Coordinates one : found) {
      if (file.contains(one.artifact + "-" + one.version) || file.equals(one.artifact + ".jar")) {
        return one;
      }
    }
    return null;
  }

  private static String sha256(Path file) {
    try (InputStream in = Files.newInputStream(file)) {
      MessageDigest digest = MessageDigest.getInstance("SHA-256");
      byte[] block = new byte[1 << 16];
      for (int read = in.read(block); read >= 0; read = in.read(block)) {
        digest.update(block, 0, read);
      }
      return HexFormat.of().formatHex(digest.digest());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    }
  }

  private static String quote(String text) {
    if (!text.matches("[\\p{Graph}&&[^\"\\\\]]*")) {
      throw new IllegalArgumentException("'" + text + "' has a character that JSON must escape");
    }
    return "\"" + text + "\"";
  }
}
