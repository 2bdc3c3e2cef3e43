/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.storedoctor;

import java.net.URI;

/**
 * The bucket to check, and its credentials.
 *
 * @param endpoint of the server, {@code http} or {@code https}, without a path
 * @param region that requests are signed for
 * @param bucket 3 to 63 characters; created if it is missing and the credentials allow it
 */
public record BucketAddress(
    URI endpoint, String region, String bucket, String accessKey, String secretKey) {
  /**
   * @throws IllegalArgumentException for an address that no server can have; the message names it
   */
  public BucketAddress {
    if (endpoint.getHost() == null
        || !("http".equals(endpoint.getScheme()) || "https".equals(endpoint.getScheme()))
        || !(endpoint.getPath().isEmpty() || endpoint.getPath().equals("/"))) {
      throw new IllegalArgumentException(
          "endpoint '%s': allowed is http or https, a host and a port, such as https://s3.example.org:9000"
              .formatted(endpoint));
    }
    if (!bucket.matches("[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]")) {
      throw new IllegalArgumentException(
          "bucket '%s': allowed are 3 to 63 of a-z, 0-9, '.' and '-', with a letter or a digit first and last"
              .formatted(bucket));
    }
    for (String given : new String[] {region, accessKey, secretKey}) {
      if (given.isBlank()) {
        throw new IllegalArgumentException("region, access key and secret key must not be empty");
      }
    }
  }

  @Override
  public String toString() {
    return accessKey + "@" + endpoint + "/" + bucket;
  }
}
