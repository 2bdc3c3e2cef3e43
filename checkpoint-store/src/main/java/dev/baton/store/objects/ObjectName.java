/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.store.objects;

import dev.baton.protocol.digest.Digest;
import dev.baton.protocol.json.TextShortener;
import dev.baton.store.failure.StoreRequestException;
import java.util.Base64;
import java.util.HexFormat;
import java.util.regex.Pattern;

/**
 * The name of an object of a project. Projects never share objects, so an upload reveals nothing
 * about the objects of other projects.
 *
 * @param sizeBytes of the stored bytes; 0 if it is not known
 */
public record ObjectName(String project, ObjectKind kind, String digest, long sizeBytes) {
  public static final String DEFAULT_PROJECT = "default";
  private static final Pattern PROJECT = Pattern.compile("[a-z0-9][a-z0-9._-]{0,62}");

  /** S3 accepts at most 5 GiB in one PUT. */
  private static final long LARGEST = 5L * 1024 * 1024 * 1024;

  /**
   * @throws StoreRequestException that names what is wrong and what is allowed
   */
  public ObjectName {
    project = project(project);
    try {
      Digest.check(digest);
    } catch (IllegalArgumentException e) {
      throw StoreRequestException.invalid(String.valueOf(e.getMessage()));
    }
    if (sizeBytes < 0 || sizeBytes > LARGEST) {
      throw StoreRequestException.invalid(
          "size %d of %s is not between 0 and %d".formatted(sizeBytes, digest, LARGEST));
    }
  }

  /**
   * Validates a project's name and returns its stored form: empty stands for the default project.
   *
   * @throws StoreRequestException that names what is wrong and what is allowed
   */
  public static String project(String name) {
    if (name.isEmpty()) {
      return DEFAULT_PROJECT;
    }
    if (!isProject(name)) {
      throw StoreRequestException.invalid(
          "project '%s' is not 1 to 63 lower-case letters, digits, '.', '_', '-'"
              .formatted(TextShortener.shorten(name, 64)));
    }
    return name;
  }

  /** Whether a name can be that of a project, so that it can be part of an object's key. */
  public static boolean isProject(String name) {
    return PROJECT.matcher(name).matches();
  }

  /** The object's key in the bucket. */
  public String key() {
    String hex = digest.substring(digest.indexOf(':') + 1);
    return switch (kind) {
      case BLOB -> project + "/blobs/" + hex;
      case PACK -> project + "/packs/" + hex;
    };
  }

  String digestBase64() {
    return Base64.getEncoder().encodeToString(hash());
  }

  /** The digest's 32 bytes. */
  public byte[] hash() {
    return HexFormat.of().parseHex(digest, digest.indexOf(':') + 1, digest.length());
  }
}
