package v2

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// SiteSpec defines the desired state of Site.
type SiteSpec struct {
	// address is HOST:PORT.
	// +kubebuilder:validation:Pattern=`^[^:]+:[0-9]+$`
	// +kubebuilder:validation:MaxLength=259
	// +required
	Address string `json:"address"`

	// replicas is how many servers there are; the webhook sets it where it is missing.
	// +optional
	Replicas *int32 `json:"replicas,omitempty"`

	// pages that the site has.
	// +listType=map
	// +listMapKey=path
	// +optional
	Pages []Page `json:"pages,omitempty"`
}

// Page is a page of a site.
type Page struct {
	// path of the page.
	// +kubebuilder:validation:MaxLength=64
	// +required
	Path string `json:"path"`
}

// SiteStatus defines the observed state of Site.
type SiteStatus struct {
	// url is where the site is.
	// +optional
	URL string `json:"url,omitempty"`

	// replicas is how many servers there are.
	// +optional
	Replicas int32 `json:"replicas,omitempty"`

	// observedGeneration is the generation that the status is of.
	// +optional
	ObservedGeneration int64 `json:"observedGeneration,omitempty"`

	// conditions of the site: Available.
	// +listType=map
	// +listMapKey=type
	// +optional
	Conditions []metav1.Condition `json:"conditions,omitempty"`
}

// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:subresource:scale:specpath=.spec.replicas,statuspath=.status.replicas
// +kubebuilder:resource:shortName=st,categories=all

// Site is the Schema for the sites API.
type Site struct {
	metav1.TypeMeta `json:",inline"`

	// +optional
	metav1.ObjectMeta `json:"metadata,omitzero"`

	// +required
	Spec SiteSpec `json:"spec"`

	// +optional
	Status SiteStatus `json:"status,omitzero"`
}

// +kubebuilder:object:root=true

// SiteList contains a list of Site.
type SiteList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitzero"`
	Items           []Site `json:"items"`
}
